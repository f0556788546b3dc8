public import CaptureModel

/// What a session does when its machine is overloaded.
extension CaptureSession {
    /// Closes the camera because of the pressure on the machine, or lets it run again; harmless when told again.
    public func systemPressure(interrupts: Bool, _ pressure: SystemPressure) async {
        guard interrupts else { return await handle(.unbarred) }
        let figures = pressure.reason.map { ": \($0)" } ?? ""
        await handle(
            .barred(.systemPressure, "the machine is overloaded\(figures); the camera runs again when that is over"))
    }
}
