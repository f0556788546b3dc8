public import CaptureModel

/// Takes the pictures of a camera that exposes only when something makes it expose: a command, or a trigger at its socket.
public protocol StillSource: Sendable {
    /// How long before an instant the camera is asked for its picture.
    var lag: Duration { get }

    /// Whether the camera can make a raw file beside its JPEG image.
    var hasRawFiles: Bool { get }

    /// The bytes of the largest files of a picture so far; estimates before the first ones.
    var byteCount: TakenPicture.ByteCount { get }

    /// Takes the picture of an instant, or returns the one that a trigger causes then. If it is too late to ask the camera, it is asked at
    /// once. Pictures may overlap.
    ///
    /// Always returns: with the picture, or with the reason when there will be none, at the latest when the stream ends.
    /// - Parameter withRaw: Whether the picture is to have the camera's raw file too.
    /// - Throws: ``CameraError`` with code `failed`; whether the stream goes on, its ``CameraStream/failure`` says.
    func picture(at instant: LocalTime, withRaw: Bool) async throws(CameraError) -> TakenPicture

    /// Tells that all files of a picture are durable in the library, so that the camera may remove its own copies. Of a picture that this
    /// stream has not taken, the camera's copies stay.
    func isDurable(_ picture: TakenPicture.Number)
}
