package import CaptureModel

extension CaptureProblem {
    /// Whether storing a file may succeed later: what is wrong is the disk, and not the file.
    package var mayPass: Bool { code == .noSpace || code == .inputOutput }
}
