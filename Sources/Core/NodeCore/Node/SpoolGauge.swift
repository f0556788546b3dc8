import Spool

/// Whether the spool has room for another photo, so that it is told before a trigger finds out.
///
/// | room is | while there was room | while there was none |
/// |---|---|---|
/// | less than the camera with the largest pictures needs | none from here on | – |
/// | less than twice of that | – | – |
/// | more | – | there is room from here on |
///
/// While no camera runs nothing changes, since nothing is known of what is needed.
/// A value without disk.
struct SpoolGauge: Sendable {
    /// Why there is no room; nil while there is.
    private(set) var shortage: String?

    /// - Parameter needed: Bytes that the next photo of the camera with the largest pictures needs; nil where none runs.
    /// - Returns: Whether it has begun or ended that there is no room.
    mutating func update(_ usage: SpoolUsage, needed: Int64?) -> Bool {
        guard let needed else { return false }
        let had = shortage
        if let reason = usage.shortage(of: needed) {
            shortage = reason
        } else if usage.shortage(of: needed > .max / 2 ? .max : needed * 2) == nil {
            shortage = nil
        }
        return (had == nil) != (shortage == nil)
    }
}
