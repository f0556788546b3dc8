import CameraKit
import CaptureEngine
import CaptureModel

/// Exchange of two cameras.
extension CaptureNode {
    /// Makes `replacement` the input of a running session, and gives the session's previous input to the stopped
    /// session that had the replacement. Both sessions change, or neither.
    /// - Returns: The changes for the outputs, one sentence each.
    func switchInput(of session: CaptureSession, to replacement: DeviceName) async throws -> [String] {
        let old = session.device.id.device
        if let objection = switchUnderWay(session.device.id, replacement) { throw objection.problem }
        switching.formUnion([old, replacement])
        defer {
            switching.subtract([old, replacement])
            // Also after a failure: while the other camera was tried, viewers of this one may have been dropped.
            switched()
        }
        let other: CaptureSession
        do throws(SwitchObjection) {
            other = try await partner(of: session, replacement)
        } catch {
            throw error.problem
        }
        let (mine, theirs) = (session.beginConfiguration(), other.beginConfiguration())
        let changes: [String]
        do throws(ConfigurationFailure) {
            changes = try await session.commitConfiguration(mine.replacingInput(by: theirs))
        } catch {
            throw RigProblem(
                .conflict,
                "\(session.device.id) is not switched to \(replacement): \(error); \(await states(session, other))")
        }
        do throws(ConfigurationFailure) {
            try await other.commitConfiguration(theirs.replacingInput(by: mine))
        } catch {
            // If this fails too, the states below show it.
            _ = try? await session.commitConfiguration(session.beginConfiguration().replacingInput(by: mine))
            throw RigProblem(
                .conflict,
                "\(session.device.id) is not switched to \(replacement): the session of '\(replacement)' cannot use its camera: \(error); \(await states(session, other))"
            )
        }
        (sessions[old], sessions[replacement]) = (other, session)
        return changes
    }

    /// Describes the condition of both cameras, for people.
    private func states(_ session: CaptureSession, _ other: CaptureSession) async -> String {
        let (first, second) = (await session.condition.state, await other.condition.state)
        return "\(session.device.id) is \(first.rawValue), \(other.device.id) is \(second.rawValue)"
    }

    /// Returns the condition of a camera. During a switch, one of the two cameras is the input of both sessions, and
    /// the other of none.
    func status(of camera: DeviceDescription) async -> DeviceStatus {
        while let session = holder(of: camera.id) {
            let (condition, device) = (await condition(of: session), await described(session))
            // Another camera may have become the session's input since.
            guard device.id == camera.id, session.device.id == camera.id else { continue }
            cameras[camera.id.device] = device
            return DeviceStatus(device: device, condition: condition)
        }
        return DeviceStatus(device: camera, condition: conditionWithoutSession(camera.id))
    }

    /// Returns the description of a session's input with what the hardware said when it was last opened, by this session or another.
    private func described(_ session: CaptureSession) async -> DeviceDescription {
        let device = session.device
        let hardware = await session.hardware
        return device.described(by: hardware, otherwise: cameras[device.id.device] ?? device)
    }

    /// Returns the session whose input is the camera. If there are two, returns the one that has taken over the camera
    /// and has it open.
    private func holder(of camera: DeviceID) -> CaptureSession? {
        let holders = sessions.values.filter { $0.device.id == camera }
        return holders.first { $0 !== sessions[camera.device] } ?? holders.first
    }

    private func conditionWithoutSession(_ camera: DeviceID) -> DeviceCondition {
        guard !switching.contains(camera.device) else {
            return DeviceCondition(state: .stopped, reason: "the camera is being switched")
        }
        return DeviceCondition(
            state: .failed, reason: "a switch of the camera failed and could not be undone; restart the node's agent")
    }

    /// Returns a session's condition, completed by the node: whether there is a camera to switch to.
    func condition(of session: CaptureSession) async -> DeviceCondition {
        var condition = await session.condition
        guard condition.session?.abilities.switchInput.isAllowed == true else { return condition }
        for other in sessions.values where other !== session {
            if await !other.isInUse { return condition }
        }
        condition.session?.abilities.switchInput = .refused(
            "the node has no other camera that is enabled and not in use")
        return condition
    }
}

extension CaptureNode {
    /// Returns everything that a device is and offers. Takes as long as its hardware takes to answer.
    func details(of session: CaptureSession) async -> DeviceDetails {
        let camera = session.camera
        var details = DeviceDetails(
            device: await described(session), condition: await session.condition,
            authorization: await camera.authorization(),
            identity: camera.identityDescription)
        if details.authorization != .authorized { details.remedy = await camera.authorizationRemedy() }
        do throws(CameraError) {
            var capabilities = try await camera.capabilities()
            capabilities.controls = await session.withControlsOfNode(capabilities.controls)
            details.capabilities = capabilities
        } catch {
            details.obstacle = RigProblem(error)
        }
        return details
    }
}

/// Client requests for one device. A command is a case of `DeviceCommand` and a case here.
extension CaptureNode {
    /// Carries out a request. Returns when it is done or refused, which may take as long as hardware takes to start.
    func carryOut(_ request: DeviceRequest) async -> Result<DeviceReply, RigProblem> {
        do {
            guard case .device(let device) = request.subject else {
                throw RigProblem(.protocolViolation, "the request names no device")
            }
            if case .canSwitchInput(let replacement) = request.command {
                return .success(.canSwitchInput(try await objection(toSwitching: device, to: replacement)))
            }
            if device.node == name, let microphone = microphones[device.device] {
                return .success(try await result(of: request.command, microphone))
            }
            return .success(try await result(of: request.command, try session(of: device)))
        } catch let problem as RigProblem {
            return .failure(problem)
        } catch {
            return .failure(RigProblem(.protocolViolation, "\(error)"))
        }
    }

    private func session(of device: DeviceID) throws(RigProblem) -> CaptureSession {
        guard !switching.contains(device.device) else {
            throw RigProblem(.conflict, "\(device) is being switched; try again when the switch has ended")
        }
        guard device.node == name, let session = sessions[device.device] else { throw unknown(device) }
        return session
    }

    private func result(of command: DeviceCommand?, _ session: CaptureSession) async throws -> DeviceReply {
        switch command {
        case .startSession:
            if let problem = await session.startRunning() { throw problem }
            return .session(await devicesLeft(of: session))
        case .stopSession(let force):
            let cuts = try await session.stopRunning(cuttingRecordings: force)
            return .session(await devicesLeft(of: session, changes: cuts))
        case .resumeSession:
            if let problem = await session.resume() { throw problem }
            return .session(await devicesLeft(of: session))
        case .describe:
            return .details(await details(of: session))
        case .measure(let request):
            return .measured(try await session.measure(request))
        case .keepDelays(let delays):
            return .delaysKept(file: try await session.keepDelays(delays))
        case .keepStamps(let correction):
            let changes = try await keepStamps(of: session, correction)
            return .session(await devicesLeft(of: session, changes: changes))
        case .setControls(let values):
            return .controls(try await session.setControls(values))
        case .heldSettings:
            return .held(try await session.heldSettings())
        case .settings(let id, let step):
            return .settings(try await session.carryOut(step, of: id))
        case .switchInput(let replacement):
            let changes = try await switchInput(of: session, to: replacement)
            return .session(await devicesLeft(of: session, changes: changes))
        case .setConnection(let orientation, let isMirrored):
            let changes = try await setConnection(of: session, orientation, isMirrored)
            return .session(await devicesLeft(of: session, changes: changes))
        case .align(let request):
            await session.align(request)
            return .session(await devicesLeft(of: session))
        case .canSwitchInput, .listSpool, .discardCaptures, nil:
            throw RigProblem(
                .protocolViolation,
                "\(session.device.id): the node does not know this command; install equal versions on node and coordinator"
            )
        }
    }

    /// Changes how pictures are to be shown. The session continues.
    private func setConnection(
        of session: CaptureSession, _ orientation: Orientation?, _ isMirrored: Bool?
    ) async throws(RigProblem) -> [String] {
        var configuration = session.beginConfiguration()
        if let orientation { configuration.setOrientation(orientation) }
        if let isMirrored { configuration.setVideoMirrored(isMirrored) }
        do throws(ConfigurationFailure) {
            return try await session.commitConfiguration(configuration)
        } catch {
            throw RigProblem(.conflict, "\(session.device.id) is not turned: \(error)")
        }
    }

    private func devicesLeft(of session: CaptureSession, changes: [String] = []) async -> SessionResult {
        SessionResult(device: session.device.id, condition: await condition(of: session), changes: changes)
    }
}

extension DeviceDescription {
    /// Returns the description with what the hardware said of itself, where the description does not say it.
    /// - Parameter known: An earlier description of the device, for a session that has not opened it.
    fileprivate func described(
        by hardware: CameraHardware, otherwise known: DeviceDescription
    ) -> DeviceDescription {
        let isOpened = hardware != CameraHardware()
        var described = self
        described.make = make ?? (isOpened ? hardware.make : known.make)
        described.model = model ?? (isOpened ? hardware.model : known.model)
        described.serial = serial ?? (isOpened ? hardware.serial : known.serial)
        return described
    }
}
