/// Where an index that was opened for writing comes from.
enum IndexOrigin: Hashable, Sendable {
    /// It was there, and sound.
    case existing
    /// There was none, as in a library that no coordinator has used yet.
    case made
    /// The one that was there could not be used. The reason continues the sentence after "the index".
    case remade(String)
}
