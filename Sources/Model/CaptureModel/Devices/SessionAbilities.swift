/// What can be asked of a session as it stands: the buttons of a camera application, with the reason why one is off.
public struct SessionAbilities: Hashable, Codable, Sendable {
    /// One button.
    public struct Ability: Hashable, Codable, Sendable {
        public var isAllowed: Bool
        /// A sentence: why it is not; nil where it is.
        public var reason: String?

        public init(isAllowed: Bool, reason: String? = nil) {
            self.isAllowed = isAllowed
            self.reason = reason
        }

        public static let allowed = Ability(isAllowed: true)

        public static func refused(_ reason: String) -> Ability { Ability(isAllowed: false, reason: reason) }
    }

    /// Take a photo.
    public var photo: Ability
    /// Take a Live Photo.
    public var live: Ability
    /// Record a movie.
    public var record: Ability
    /// Put another camera in its place.
    public var switchInput: Ability
    /// Take a photo that is larger than the stream's frames.
    public var largerPhoto: Ability
    /// Store the sensor's own samples.
    public var raw: Ability

    public init(
        photo: Ability = .refused("nothing is known of the session"),
        live: Ability = .refused("nothing is known of the session"),
        record: Ability = .refused("nothing is known of the session"),
        switchInput: Ability = .refused("nothing is known of the session"),
        largerPhoto: Ability = .refused("nothing is known of the session"),
        raw: Ability = .refused("nothing is known of the session")
    ) {
        self.photo = photo
        self.live = live
        self.record = record
        self.switchInput = switchInput
        self.largerPhoto = largerPhoto
        self.raw = raw
    }

    /// Each with its name, in order.
    public var all: [(name: String, ability: Ability)] {
        [
            ("photo", photo), ("live", live), ("record", record), ("switch", switchInput), ("largerPhoto", largerPhoto),
            ("raw", raw),
        ]
    }
}
