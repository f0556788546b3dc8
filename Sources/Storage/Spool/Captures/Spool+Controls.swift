public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

/// What a capture has to put back when it has set its camera, kept in case that the process does not come to it.
extension Spool {
    private static let controlsByteLimit = 65_536

    /// Makes durable how a camera's controls stand; replaces what was kept for it before.
    /// - Throws: `noSpace`, `inputOutput`.
    public func keepControls(_ values: [String: Int64], of device: DeviceID) throws(CaptureProblem) {
        let content = try KeptControls(values: values).encoded()
        keptNames.withLock { _ = $0.insert(SpoolNames.controls(device)) }
        do {
            try controls.publish([content], as: SpoolNames.controls(device))
        } catch {
            throw CaptureProblem(error, freeBytes: try? controls.freeBytes())
        }
    }

    /// Whether something may be kept for a camera; told without waiting for the disk.
    public nonisolated func mayKeepControls(of device: DeviceID) -> Bool {
        keptNames.withLock { $0.contains(SpoolNames.controls(device)) }
    }

    /// What is kept for a camera; nil where nothing is, or nothing that can be read.
    public func keptControls(of device: DeviceID) -> [String: Int64]? {
        guard let bytes = try? controls.read(SpoolNames.controls(device), limit: Self.controlsByteLimit) else {
            return nil
        }
        return KeptControls(bytes)?.values
    }

    /// Forgets them, since they are as they were. A power cut may bring them back, which sets the camera once more.
    public func forgetControls(of device: DeviceID) {
        try? controls.remove(SpoolNames.controls(device))
        keptNames.withLock { _ = $0.remove(SpoolNames.controls(device)) }
    }
}
