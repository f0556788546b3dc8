/// The client's choice of T. As a document, it is an object with one member, whose name states how the time is given.
public enum RequestedTime: Hashable, Codable, Sendable {
    /// As soon as every camera can be armed, or `lead` nanoseconds after receipt; not later, to be where exposures are closest together, if
    /// `exact` is true.
    case soon(lead: Int64?, exact: Bool? = nil)
    /// Nanoseconds after the coordinator received the request; a negative value reaches back into the ring.
    case relative(nanoseconds: Int64)
    /// `CLOCK_REALTIME` of the coordinator, nanoseconds since 1970.
    case absolute(realtimeNanoseconds: Int64)

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case soon = "soon"
        case relative = "relative"
        case absolute = "absolute"
    }

    private enum SoonCodingKeys: String, CodingKey {
        case lead = "lead"
        case exact = "exact"
    }

    private enum RelativeCodingKeys: String, CodingKey {
        case nanoseconds = "nanoseconds"
    }

    private enum AbsoluteCodingKeys: String, CodingKey {
        case realtimeNanoseconds = "realtimeNanoseconds"
    }
}

extension RequestedTime: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        switch self {
        case .soon(let lead, _): try check(lead, "soon.lead", in: 0...Int64.max)
        case .relative: break
        case .absolute(let nanoseconds):
            try check(nanoseconds, "absolute.realtimeNanoseconds", in: 0...Int64.max)
        }
    }
}
