/// The kind of subject that a ``Name`` identifies.
public protocol NamedSubject: Sendable {
    /// The word used in error messages: `node`, `device`.
    static var subjectName: String { get }
}
