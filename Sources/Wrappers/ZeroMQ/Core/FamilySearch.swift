/// With which family of addresses a name is connected to: IPv4 at first, and the other one after some failures.
struct FamilySearch: Equatable {
    private(set) var usesIPv6 = false
    private var failures = 0
    /// Failures after which the other family has its turn. Few at first, since one of the two is likely right; more later, because
    /// each turn begins with the shortest pause between attempts.
    private var patience = 1

    private static let patienceLimit = 4

    /// - Returns: Whether the other family has its turn.
    mutating func failed() -> Bool {
        failures += 1
        guard failures >= patience else { return false }
        usesIPv6.toggle()
        failures = 0
        patience = min(patience * 2, Self.patienceLimit)
        return true
    }

    mutating func succeeded() {
        failures = 0
        // The loss of the connection is told as a failure, before the family that was right has been tried again.
        patience = 2
    }
}
