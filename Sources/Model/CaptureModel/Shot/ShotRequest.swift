/// A client's request for a shot or take, without its id.
///
/// It is a document: `docs/schema/shot-request-v1.json` describes it, wherever it is stored or sent.
public struct ShotRequest: Hashable, Codable, Sendable {
    public var selection: Selection
    public var settings: PhotoSettings
    public var time: RequestedTime
    /// Whether to cancel all captures unless every selected camera is armed by the deadline.
    public var requireAll: Bool
    /// How simultaneous the pictures have to be; nil leaves that to the rig.
    public var limits: TimingLimits?

    public init(
        selection: Selection, settings: PhotoSettings = .init(), time: RequestedTime = .soon(lead: nil),
        requireAll: Bool = false, limits: TimingLimits? = nil
    ) {
        self.selection = selection
        self.settings = settings
        self.time = time
        self.requireAll = requireAll
        self.limits = limits
    }

    private enum CodingKeys: String, CodingKey {
        case selection = "selection"
        case settings = "settings"
        case time = "time"
        case requireAll = "requireAll"
        case limits = "limits"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        selection = try members.decode(Selection.self, forKey: .selection)
        settings = try members.decode(.settings, by: decoder, usual: .usual)
        time = try members.decode(.time, by: decoder, usual: .soon(lead: nil))
        requireAll = try members.decode(.requireAll, by: decoder, usual: false)
        limits = try members.decodeIfPresent(TimingLimits.self, forKey: .limits)
    }
}

extension ShotRequest: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(selection, "selection")
        try check(settings, "settings")
        try check(time, "time")
        try check(limits, "limits")
        guard limits == nil || settings.movie == nil else {
            throw InvalidDocument("limits", "are those of pictures; leave them out for a take")
        }
    }
}
