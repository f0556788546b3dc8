/// The files of a capture that hold the sensor's samples, all of one exposure.
public enum RawPhoto: String, Hashable, Codable, Sendable, CaseIterable {
    /// The samples without a photo.
    case only
    /// The samples, and the photo that is developed from them.
    case withPhoto
    /// The same from cameras that have RAW enabled. The others take the photo only.
    case withPhotoWhereEnabled
}
