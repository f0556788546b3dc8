import CameraKit
import CaptureModel

extension VirtualFault.Kind {
    /// How a virtual device with this fault refuses to be opened.
    /// - Parameters:
    ///   - kind: What it is, for people: `virtual camera`.
    ///   - name: Its own.
    func refusal(of kind: String, _ name: String) -> CameraError {
        let (code, reason): (CameraError.Code, String) =
            switch self {
            case .busy: (.busy, "another program holds the \(kind); it is free when that fault ends")
            case .denied: (.denied, "this process may not open the \(kind) until that fault ends")
            default: (.absent, "the \(kind) is unplugged; it comes back when that fault ends")
            }
        return CameraError(code, device: name, operation: "open", reason: reason)
    }
}
