public import RigSecurity

extension KeyRegistry {
    /// What a holder asks for.
    public struct SessionRequest: Hashable, Sendable {
        public var kind: Session.Kind
        public var label: String
        public var permissions: Set<Permission>
        /// Of a link, that of the browser's session that it makes.
        public var validity: Duration

        public init(kind: Session.Kind, label: String, permissions: Set<Permission>, validity: Duration) {
            self.kind = kind
            self.label = label
            self.permissions = permissions
            self.validity = validity
        }
    }
}
