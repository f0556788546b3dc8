/// Where an atom lies in a file, or in the bytes of the atom around it.
struct Atom: Hashable, Sendable {
    let type: AtomType
    /// First byte of its header.
    let start: Int64
    /// First byte behind its header.
    let content: Int64
    /// First byte behind it.
    let end: Int64
    /// Whether it goes on to the end of the file, wherever that is, so that nothing can follow it.
    var isOpenEnded = false
}
