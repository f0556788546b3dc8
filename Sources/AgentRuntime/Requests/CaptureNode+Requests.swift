import CaptureEngine
import CaptureModel
import RigProtocol
import RigWire

/// What clients ask of one device. A command is a case of `DeviceRequest.command` and a case here.
extension CaptureNode {
    /// Carries a request out; returns when it is done or refused, which may take as long as hardware takes to start.
    func carryOut(_ wire: WireDeviceRequest) async -> Result<WireDeviceReply, CaptureProblem> {
        do {
            let request = try DeviceRequest(wire: wire)
            guard case .device(let device) = request.subject else {
                throw FieldReader("DeviceRequest").invalid("device", "is required and absent")
            }
            var reply = WireDeviceReply()
            if device.node == name, let microphone = microphones[device.device] {
                reply.result = try await result(of: wire.command, microphone)
            } else {
                reply.result = try await result(of: wire.command, try session(of: device))
            }
            return .success(reply)
        } catch let problem as CaptureProblem {
            return .failure(problem)
        } catch {
            return .failure(CaptureProblem(.protocolViolation, "\(error)"))
        }
    }

    private func session(of device: DeviceID) throws(CaptureProblem) -> CaptureSession {
        guard !switching.contains(device.device) else {
            throw CaptureProblem(.conflict, "\(device) is being switched; ask again when that has ended")
        }
        guard device.node == name, let session = sessions[device.device] else { throw unknown(device) }
        return session
    }

    private func result(
        of command: WireDeviceRequest.OneOf_Command?, _ session: CaptureSession
    ) async throws -> WireDeviceReply.OneOf_Result {
        switch command {
        case .startSession:
            if let problem = await session.startRunning() { throw problem }
            return .session(await standing(of: session))
        case .stopSession(let order):
            let cuts = try await session.stopRunning(cuttingRecordings: order.force)
            return .session(await standing(of: session, changes: cuts))
        case .resumeSession:
            if let problem = await session.resume() { throw problem }
            return .session(await standing(of: session))
        case .describe:
            return .details(await details(of: session).wire)
        case .setControls(let request):
            var values = WireControlValues()
            values.values = try await session.setControls(try request.checked())
            return .controls(values)
        case .switchInput(let order):
            let changes = try await switchInput(of: session, to: try DeviceName(order.replacement))
            return .session(await standing(of: session, changes: changes))
        case .setConnection(let order):
            let changes = try await setConnection(of: session, try order.checked())
            return .session(await standing(of: session, changes: changes))
        case .listSpool, .discardCaptures, nil:
            throw CaptureProblem(
                .protocolViolation,
                "\(session.device.id): the node does not know this command; install equal versions on node and coordinator"
            )
        }
    }

    /// Changes how pictures are to be shown; the session goes on.
    private func setConnection(
        of session: CaptureSession, _ wish: (orientation: Orientation?, isMirrored: Bool?)
    ) async throws(CaptureProblem) -> [String] {
        var configuration = session.beginConfiguration()
        if let orientation = wish.orientation { configuration.setOrientation(orientation) }
        if let isMirrored = wish.isMirrored { configuration.setVideoMirrored(isMirrored) }
        do throws(ConfigurationFailure) {
            return try await session.commitConfiguration(configuration)
        } catch {
            throw CaptureProblem(.conflict, "\(session.device.id) is not turned: \(error)")
        }
    }

    func standing(of session: CaptureSession, changes: [String] = []) async -> WireSessionResult {
        var result = WireSessionResult()
        result.device = session.device.id.wire
        result.condition = await condition(of: session).wire
        result.changes = changes
        return result
    }
}
