/// A change of a shot's annotation. nil leaves a text as it is, an empty text removes it.
public struct ShotAnnotationEdit: Hashable, Sendable {
    public var title: String?
    public var note: String?
    /// Cameras whose pictures are rejected, and those whose pictures are no longer rejected. The others stay as they are, so that people
    /// who work on the same shot do not undo each other's marks.
    public var reject: [DeviceID]
    public var accept: [DeviceID]

    public init(title: String? = nil, note: String? = nil, reject: [DeviceID] = [], accept: [DeviceID] = []) {
        self.title = title
        self.note = note
        self.reject = reject
        self.accept = accept
    }

    public func applied(to annotation: ShotAnnotation) -> ShotAnnotation {
        ShotAnnotation(
            title: title ?? annotation.title, note: note ?? annotation.note,
            rejected: Set(annotation.rejected).union(reject).subtracting(accept))
    }

    /// The cameras to be rejected of which the shot has no picture, in order.
    public func strangers(in shot: Shot) -> [DeviceID] {
        Set(reject).subtracting(shot.captures.map(\.device.id)).sorted()
    }
}
