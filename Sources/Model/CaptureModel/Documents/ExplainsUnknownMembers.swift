/// A document that explains why it does not have some members, for people who expect them.
public protocol ExplainsUnknownMembers {
    /// Why the document does not have a member, or what replaces it; nil for a member of which it knows nothing.
    static func explanation(ofUnknown member: String) -> String?
}
