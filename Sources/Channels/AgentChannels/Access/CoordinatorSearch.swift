/// Where an agent looks for its coordinator, and which key it expects there. The coordinator's key may be replaced while the node is connected or away.
///
/// | event | connected to, or trying | then |
/// |---|---|---|
/// | the coordinator tells another key | the usual port | stays until the connection ends |
/// | the coordinator tells another key | the second port | the usual port, with the new key |
/// | the connection ends | – | the usual port with the newest key, if it has another one; otherwise stays |
/// | the peer does not prove the key | the usual port | the second port |
/// | the peer does not prove the key, or nobody answers | the second port | the usual port, with the newest key |
/// | nobody answers | the usual port | stays |
struct CoordinatorSearch<Key: Hashable & Sendable>: Hashable, Sendable {
    enum Place: Hashable {
        case usual
        /// Where a coordinator listens with the key that it is replacing.
        case second
    }

    private(set) var place = Place.usual
    /// The key of the attempts under way.
    private(set) var key: Key
    private(set) var newest: Key

    init(_ key: Key) {
        (self.key, newest) = (key, key)
    }

    /// - Returns: Whether to connect again.
    mutating func learned(_ told: Key) -> Bool {
        newest = told
        return place == .second && turnToUsual()
    }

    /// - Returns: Whether to connect again.
    mutating func lost() -> Bool {
        key != newest && turnToUsual()
    }

    /// - Parameter isAnswered: Whether a peer has answered, which did not prove the key.
    /// - Returns: Whether to connect again.
    mutating func failed(isAnswered: Bool) -> Bool {
        switch place {
        case .usual:
            guard isAnswered else { return false }
            place = .second
            return true
        case .second: return turnToUsual()
        }
    }

    private mutating func turnToUsual() -> Bool {
        place = .usual
        key = newest
        return true
    }
}
