public import CaptureModel
internal import DequeModule

/// Bounds the records that refusals cause, however many there are.
///
/// | refusal | what happens |
/// |---|---|
/// | the first of its (address, domain, reason, principal) | recorded at once; its window begins |
/// | a further one in the window | counted |
/// | of another key, while ``keyLimit`` keys have windows | counted under "other", which has one window |
///
/// At the end of a window, one record says how many were counted, and the window begins again. If none was counted, the key is forgotten.
/// A value type; times are arguments.
public struct RefusalAggregator: Sendable {
    public let window: Duration
    public let keyLimit: Int
    private var counts: [Refusal: Int] = [:]
    private var windows: Deque<(end: LocalTime, key: Refusal)> = []

    /// With the defaults, a flood causes at most 129 records in ten minutes.
    public init(window: Duration = .seconds(600), keyLimit: Int = 64) {
        self.window = window
        self.keyLimit = keyLimit
    }

    /// When ``due(at:)`` has something to do; nil if there are no windows.
    public var nextDeadline: LocalTime? { windows.first?.end }

    /// Notes a refusal.
    /// - Returns: The entry to record, if any.
    public mutating func refuse(_ refusal: Refusal, at now: LocalTime) -> AuditEntry? {
        let isOther = counts[refusal] == nil && counts.count - (counts[.other] == nil ? 0 : 1) >= keyLimit
        let key = isOther ? .other : refusal
        if let count = counts[key] {
            counts[key] = count + 1
            return nil
        }
        counts[key] = isOther ? 1 : 0
        windows.append((now + window, key))
        return isOther ? nil : refusal.entry
    }

    /// Ends the windows that are over.
    /// - Returns: The entries to record.
    public mutating func due(at now: LocalTime) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        while let first = windows.first, first.end <= now {
            windows.removeFirst()
            guard let count = counts.removeValue(forKey: first.key), count > 0 else { continue }
            entries.append(first.key.entry(count: count, window: window))
            counts[first.key] = 0
            windows.append((now + window, first.key))
        }
        return entries
    }

    /// Ends all windows, as when the program ends.
    /// - Returns: The entries to record.
    public mutating func finish() -> [AuditEntry] {
        defer { (counts, windows) = ([:], []) }
        return windows.compactMap { window in
            counts[window.key].flatMap { $0 > 0 ? window.key.entry(count: $0, window: self.window) : nil }
        }
    }
}

/// A connection or request that was refused.
public struct Refusal: Hashable, Sendable {
    /// Where it came from, without a port.
    public let address: String
    /// The channel.
    public let domain: String
    public let reason: String
    /// Whose request it was; of a connection, nobody's.
    public let principal: AuditPrincipal

    public init(address: String, domain: String, reason: String, principal: AuditPrincipal = .none) {
        self.address = address.bounded(64)
        self.domain = domain.bounded(64)
        self.reason = reason.bounded(128)
        self.principal = principal
    }

    /// All for which there is no window.
    static let other = Refusal(address: "other", domain: "other", reason: "other")

    var entry: AuditEntry {
        AuditEntry(.refusal, by: principal, subject: domain, details: ["address": address, "reason": reason])
    }

    func entry(count: Int, window: Duration) -> AuditEntry {
        AuditEntry(
            .refusal, by: principal, subject: domain,
            details: [
                "address": address, "reason": reason, "count": "\(count)",
                "seconds": "\(window.components.seconds)",
            ])
    }
}
