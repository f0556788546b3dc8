public import RigClient

extension ContextFile {
    /// Keeps the coordinator's key of a context for a client.
    /// - Parameter told: Called when the client has found a new key, with the reason why it could not be kept if there is one. The client
    ///   works with it all the same.
    public func keyKeeper(
        of name: ContextName, told: @escaping @Sendable (ContextError?) -> Void = { _ in }
    ) -> CoordinatorKeyKeeper {
        CoordinatorKeyKeeper(
            kept: { try? load()[name]?.coordinatorKey },
            keep: { new, old in
                do throws(ContextError) {
                    try replaceCoordinatorKey(of: name, old, with: new)
                    told(nil)
                } catch {
                    told(error)
                }
            })
    }
}
