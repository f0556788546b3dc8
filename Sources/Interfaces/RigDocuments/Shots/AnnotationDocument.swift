public import CaptureModel

/// Title, note and rejected pictures of a shot or take: `capctl shots edit` and `capctl takes edit`.
public struct AnnotationDocument: Encodable, Sendable {
    var note: String
    /// Cameras whose pictures are rejected.
    var rejected: [DeviceID]
    var shot: ShotID
    var title: String

    public init(_ shot: ShotID, _ annotation: ShotAnnotation) {
        note = annotation.note
        rejected = annotation.rejected
        self.shot = shot
        title = annotation.title
    }
}
