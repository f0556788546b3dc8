import CaptureEngine
import CaptureModel
import Sound

/// The query before an exchange of two cameras. The exchange itself begins with the same checks, so both give the same
/// answer.
extension CaptureNode {
    /// Returns why the input of a device's session cannot be switched at present; nil if nothing objects. Changes
    /// nothing.
    ///
    /// May take as long as hardware takes to say what it offers. Whether another program uses the replacement shows
    /// only when it is opened.
    /// - Throws: `unknownDevice` if the node does not have the device whose input is to be replaced.
    func objection(
        toSwitching device: DeviceID, to replacement: DeviceName
    ) async throws(RigProblem) -> SwitchObjection? {
        guard device.node == name else { throw unknown(device) }
        if microphones[device.device] != nil { return SwitchObjection(.notACamera, Self.isMicrophone(device)) }
        if let objection = switchUnderWay(device, replacement) { return objection }
        guard let session = sessions[device.device] else { throw unknown(device) }
        do throws(SwitchObjection) {
            _ = try await partner(of: session, replacement)
            return nil
        } catch {
            return error
        }
    }

    func switchUnderWay(_ device: DeviceID, _ replacement: DeviceName) -> SwitchObjection? {
        guard correcting.isDisjoint(with: [device.device, replacement]) else {
            return SwitchObjection(
                .configuring,
                RigProblem(
                    .conflict,
                    "the stamps of \(device) or '\(replacement)' are being corrected; try again when that has ended"))
        }
        guard !switching.isDisjoint(with: [device.device, replacement]) else { return nil }
        return SwitchObjection(
            .switching,
            RigProblem(
                .conflict, "\(device) or '\(replacement)' is being switched; try again when the switch has ended"))
    }

    /// Returns the session with which a session can exchange its camera.
    func partner(of session: CaptureSession, _ replacement: DeviceName) async throws(SwitchObjection) -> CaptureSession
    {
        let other = try otherSession(replacement, than: session)
        let device = session.device.id
        let condition = await session.condition
        if let reason = condition.session?.abilities.switchInput.reason {
            throw SwitchObjection(
                condition.state == .running ? .capturesUnderWay : .notRunning,
                RigProblem(.conflict, "\(device) cannot be switched: \(reason)"))
        }
        guard await !other.isInUse else {
            throw SwitchObjection(
                .deviceInUse,
                RigProblem(
                    .conflict,
                    "\(other.device.id) runs in a separate session; stop it with `capctl session stop \(other.device.id)`"
                ))
        }
        let (mine, theirs) = (session.beginConfiguration(), other.beginConfiguration())
        if let failure = await session.objection(toCommitting: mine.replacingInput(by: theirs)) {
            throw SwitchObjection(
                SwitchObjection.Reason(failure.step, captures: .capturesUnderWay),
                RigProblem(.conflict, "\(device) cannot be switched to \(replacement): \(failure)"))
        }
        if let failure = await other.objection(toCommitting: theirs.replacingInput(by: mine)) {
            throw SwitchObjection(
                SwitchObjection.Reason(failure.step, captures: .deviceInUse),
                RigProblem(
                    .conflict,
                    "\(device) cannot be switched to \(replacement): the session of '\(replacement)' cannot use its camera: \(failure)"
                ))
        }
        return other
    }

    private func otherSession(
        _ replacement: DeviceName, than session: CaptureSession
    ) throws(SwitchObjection) -> CaptureSession {
        if let other = sessions[replacement], other !== session { return other }
        if let microphone = microphones[replacement] {
            throw SwitchObjection(
                .notACamera,
                RigProblem(
                    .unknownDevice,
                    "\(microphone.device.id) is a microphone; \(session.device.id) can be switched to a camera")
            )
        }
        let names = sessions.keys.filter { $0 != session.device.id.device }.sorted().map(\.rawValue)
        throw SwitchObjection(
            .unknownDevice,
            RigProblem(
                .unknownDevice,
                "node '\(name)' has no other device '\(replacement)' that is enabled; it has "
                    + (names.isEmpty ? "none" : names.joined(separator: ", "))))
    }
}

extension SwitchObjection.Reason {
    /// The reason for which a step of a commit is refused beforehand.
    fileprivate init(_ step: ConfigurationFailure.Step, captures: Self) {
        self =
            switch step {
            case .begin, .validate: .configuring
            case .resolvePreset: .noFormat
            case .finishCaptures: captures
            case .start: .notAuthorized
            }
    }
}
