/// How far the pictures of a shot may be from T, how exactly that must be known, and what is done beyond that.
///
/// It is a document: `limits` of a request and of a manifest. Without a limit, it says that there is none.
public struct TimingLimits: Hashable, Codable, Sendable {
    /// The largest skew of a picture, without its sign, in nanoseconds; nil for any.
    public var maxSkewNanoseconds: Int64?
    /// The largest bound of a skew, in nanoseconds; nil for any.
    public var maxBoundNanoseconds: Int64?
    public var onExcess: OnExcess

    /// What is done with a shot that exceeds a limit. Whatever it is, captures beyond a limit say so (``Capture/exceeds``).
    public enum OnExcess: String, Hashable, Codable, Sendable, CaseIterable {
        /// The shot is refused if it is known before T that a camera exceeds a limit.
        case refuse
        /// The shot is taken.
        case mark
    }

    /// A limit that a picture can exceed.
    public enum Limit: String, Hashable, Codable, Sendable, CaseIterable {
        case maxSkew
        case maxBound
    }

    public init(maxSkew: Duration? = nil, maxBound: Duration? = nil, onExcess: OnExcess = .mark) {
        maxSkewNanoseconds = maxSkew?.nanoseconds
        maxBoundNanoseconds = maxBound?.nanoseconds
        self.onExcess = onExcess
    }

    private enum CodingKeys: String, CodingKey {
        case maxSkewNanoseconds = "maxSkewNanoseconds"
        case maxBoundNanoseconds = "maxBoundNanoseconds"
        case onExcess = "onExcess"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        maxSkewNanoseconds = try members.decodeIfPresent(Int64.self, forKey: .maxSkewNanoseconds)
        maxBoundNanoseconds = try members.decodeIfPresent(Int64.self, forKey: .maxBoundNanoseconds)
        onExcess = try members.decode(.onExcess, by: decoder, usual: .mark)
    }

    /// The limits that can be stated.
    public static let range: ClosedRange<Duration> = .microseconds(1) ... .seconds(60)

    public var maxSkew: Duration? { maxSkewNanoseconds.map { .nanoseconds($0) } }
    public var maxBound: Duration? { maxBoundNanoseconds.map { .nanoseconds($0) } }

    /// Whether it limits anything.
    public var isLimiting: Bool { maxSkewNanoseconds != nil || maxBoundNanoseconds != nil }

    /// The limits that a picture exceeds, as far as its skew and bound are known.
    public func exceeded(skew: Duration?, bound: Duration?) -> [Limit] {
        var exceeded: [Limit] = []
        if let skew, let maxSkew, skew.magnitude > maxSkew { exceeded.append(.maxSkew) }
        if let bound, let maxBound, bound > maxBound { exceeded.append(.maxBound) }
        return exceeded
    }
}

extension TimingLimits: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        let range = Self.range.lowerBound.nanoseconds...Self.range.upperBound.nanoseconds
        try check(maxSkewNanoseconds, "maxSkewNanoseconds", in: range)
        try check(maxBoundNanoseconds, "maxBoundNanoseconds", in: range)
    }
}
