public import CaptureModel

/// Takes the pictures of a camera that exposes only when something makes it expose: a command, or a trigger at its socket.
public protocol StillSource: Sendable {
    /// How long before an instant the camera is asked for its picture.
    var lag: Duration { get }

    /// The bytes of the largest picture so far; an estimate before the first one.
    var byteCount: Int { get }

    /// Takes the picture of an instant, or returns the one that a trigger causes then. If it is too late to ask the camera, it is asked at
    /// once. Pictures may overlap.
    ///
    /// Always returns: with the picture, or with the reason when there will be none, at the latest when the stream ends.
    /// - Throws: ``CameraError`` with code `failed`; whether the stream goes on, its ``CameraStream/failure`` says.
    func picture(at instant: LocalTime) async throws(CameraError) -> TakenPicture

    /// Tells that a picture is durable in the library, so that the camera may remove its own copy. Of a picture that this stream has not
    /// taken, the camera's copy stays.
    func isDurable(_ picture: TakenPicture.Number)
}

/// A picture of a camera without frames.
public struct TakenPicture: Sendable {
    /// Counts the pictures of a stream.
    public struct Number: Hashable, Sendable {
        public var value: UInt64

        public init(_ value: UInt64) { self.value = value }
    }

    public var number: Number
    /// A JPEG image as the camera has made it, with its own metadata. ``CameraFrame/exposure`` and gain are those of its metadata.
    public var frame: CameraFrame

    public init(number: Number, frame: CameraFrame) {
        self.number = number
        self.frame = frame
    }
}
