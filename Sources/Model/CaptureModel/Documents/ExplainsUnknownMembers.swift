/// A document that can say more of a member that it does not have than that there is no such member.
public protocol ExplainsUnknownMembers {
    /// Why there is no such member, or what replaces it; nil if nothing is known of it.
    static func explanation(ofUnknown member: String) -> String?
}
