internal import CaptureModel
internal import RigDocuments

extension Duration {
    /// Like ``shortText``, but in microseconds below 10 ms.
    var fineText: String {
        magnitude < .milliseconds(10) ? Decimals.text(seconds * 1e6, digits: 0) + " µs" : shortText
    }
}

extension CameraAlignment {
    /// How far the exposures are from where they are to be, with the bound of that: `12 µs late ± 40 µs`.
    var latenessText: String {
        guard let lateness else { return "-" }
        let distance = lateness.magnitude.fineText + (lateness < .zero ? " early" : " late")
        return distance + (bound.map { " ± \($0.fineText)" } ?? "")
    }
}
