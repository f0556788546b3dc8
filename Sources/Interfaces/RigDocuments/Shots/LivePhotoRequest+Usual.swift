public import CaptureModel

extension LivePhotoRequest {
    /// What every interface requests for a shot that does not mention clips.
    public static let usual = LivePhotoRequest.whereEnabled
}
