internal import CaptureModel

/// A mistake whose path begins at the complete document.
struct LocatedMistake: Error {
    let mistake: InvalidDocument

    init(_ path: [any CodingKey], _ reason: String) {
        mistake = InvalidDocument(path.text, reason)
    }

    /// - Parameter path: That of the document that has found a mistake in itself.
    init(_ path: [any CodingKey], _ mistake: InvalidDocument) {
        self.mistake = mistake.within(path.text)
    }
}
