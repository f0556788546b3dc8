import CaptureEngine
import CaptureModel

/// What clients ask of one device. A command is a case of `DeviceCommand` and a case here.
extension CaptureNode {
    /// Carries a request out; returns when it is done or refused, which may take as long as hardware takes to start.
    func carryOut(_ request: DeviceRequest) async -> Result<DeviceReply, CaptureProblem> {
        do {
            guard case .device(let device) = request.subject else {
                throw CaptureProblem(.protocolViolation, "the request is about no device")
            }
            if device.node == name, let microphone = microphones[device.device] {
                return .success(try await result(of: request.command, microphone))
            }
            return .success(try await result(of: request.command, try session(of: device)))
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

    private func result(of command: DeviceCommand?, _ session: CaptureSession) async throws -> DeviceReply {
        switch command {
        case .startSession:
            if let problem = await session.startRunning() { throw problem }
            return .session(await standing(of: session))
        case .stopSession(let force):
            let cuts = try await session.stopRunning(cuttingRecordings: force)
            return .session(await standing(of: session, changes: cuts))
        case .resumeSession:
            if let problem = await session.resume() { throw problem }
            return .session(await standing(of: session))
        case .describe:
            return .details(await details(of: session))
        case .setControls(let values):
            return .controls(try await session.setControls(values))
        case .switchInput(let replacement):
            let changes = try await switchInput(of: session, to: replacement)
            return .session(await standing(of: session, changes: changes))
        case .setConnection(let orientation, let isMirrored):
            let changes = try await setConnection(of: session, orientation, isMirrored)
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
        of session: CaptureSession, _ orientation: Orientation?, _ isMirrored: Bool?
    ) async throws(CaptureProblem) -> [String] {
        var configuration = session.beginConfiguration()
        if let orientation { configuration.setOrientation(orientation) }
        if let isMirrored { configuration.setVideoMirrored(isMirrored) }
        do throws(ConfigurationFailure) {
            return try await session.commitConfiguration(configuration)
        } catch {
            throw CaptureProblem(.conflict, "\(session.device.id) is not turned: \(error)")
        }
    }

    private func standing(of session: CaptureSession, changes: [String] = []) async -> SessionResult {
        SessionResult(device: session.device.id, condition: await condition(of: session), changes: changes)
    }
}
