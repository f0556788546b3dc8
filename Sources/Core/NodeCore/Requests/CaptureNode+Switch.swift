import CaptureEngine
import CaptureModel

/// One camera in the place of another.
extension CaptureNode {
    /// Makes `replacement` the input of a running session, and the device that was its input that of the session that
    /// had the replacement, which is stopped. Either both or neither.
    /// - Returns: What changed for the outputs, a sentence each.
    func switchInput(of session: CaptureSession, to replacement: DeviceName) async throws -> [String] {
        let old = session.device.id.device
        guard switching.isDisjoint(with: [old, replacement]) else {
            throw CaptureProblem(
                .conflict, "\(session.device.id) or '\(replacement)' is being switched; ask again when that is done")
        }
        switching.formUnion([old, replacement])
        defer {
            switching.subtract([old, replacement])
            // After a failure too: while another camera was tried, viewers of this one may have been let go.
            switched()
        }
        let other = try await partner(of: session, replacement)
        let (mine, theirs) = (session.beginConfiguration(), other.beginConfiguration())
        let changes: [String]
        do throws(ConfigurationFailure) {
            changes = try await session.commitConfiguration(mine.replacingInput(by: theirs))
        } catch {
            throw CaptureProblem(
                .conflict,
                "\(session.device.id) is not switched to \(replacement): \(error); \(await states(session, other))")
        }
        do throws(ConfigurationFailure) {
            try await other.commitConfiguration(theirs.replacingInput(by: mine))
        } catch {
            // Where this fails, too, the states below say so.
            _ = try? await session.commitConfiguration(session.beginConfiguration().replacingInput(by: mine))
            throw CaptureProblem(
                .conflict,
                "\(session.device.id) is not switched to \(replacement): the session of '\(replacement)' cannot take its camera: \(error); \(await states(session, other))"
            )
        }
        (sessions[old], sessions[replacement]) = (other, session)
        return changes
    }

    /// How both cameras stand, for people.
    private func states(_ session: CaptureSession, _ other: CaptureSession) async -> String {
        let (first, second) = (await session.condition.state, await other.condition.state)
        return "\(session.device.id) is \(first.rawValue), \(other.device.id) is \(second.rawValue)"
    }

    private func partner(of session: CaptureSession, _ replacement: DeviceName) async throws -> CaptureSession {
        guard let other = sessions[replacement], other !== session else {
            let names = sessions.keys.filter { $0 != session.device.id.device }.sorted().map(\.rawValue)
            throw CaptureProblem(
                .unknownDevice,
                "node '\(name)' has no other device '\(replacement)' that is enabled; it has "
                    + (names.isEmpty ? "none" : names.joined(separator: ", ")))
        }
        if let reason = await session.abilities.switchInput.reason {
            throw CaptureProblem(.conflict, "\(session.device.id) cannot be switched: \(reason)")
        }
        guard await !other.isInUse else {
            throw CaptureProblem(
                .conflict,
                "\(other.device.id) runs in a session of its own; stop it with `capctl session stop \(other.device.id)`"
            )
        }
        return other
    }

    /// How a camera stands. While two are being switched, one of them is the input of both sessions and the other of none.
    func status(of camera: DeviceDescription) async -> DeviceStatus {
        while let session = holder(of: camera.id) {
            let (device, condition) = (session.device, await condition(of: session))
            // Another may have become the session's input meanwhile.
            guard device.id == camera.id, session.device.id == camera.id else { continue }
            cameras[camera.id.device] = device
            return DeviceStatus(device: device, condition: condition)
        }
        return DeviceStatus(device: camera, condition: conditionWithoutSession(camera.id))
    }

    /// The session whose input is a camera; of two, the one that has taken it over and has it open.
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

    /// A session's condition, with what only the node knows: whether there is a camera to switch to.
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
