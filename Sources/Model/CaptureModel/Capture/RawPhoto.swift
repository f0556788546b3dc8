/// Which files a capture has of the sensor's samples, all of one exposure.
public enum RawPhoto: String, Hashable, Codable, Sendable, CaseIterable {
    /// The samples, and no photo.
    case only
    /// The samples and the photo that is developed of them.
    case withPhoto
    /// The same of cameras that have RAW enabled; the others take the photo alone.
    case withPhotoWhereEnabled
}
