extension CoordinatorConfiguration {
    /// The keys whose values a coordinator takes over while it runs.
    public static let liveKeys: Set<String> = [
        "collect.rate", "trigger.timeout", "trigger.maximumAhead", "trigger.maxSkew", "trigger.maxBound",
        "trigger.onExcess", "library.keep.for", "library.keep.free", "library.keep.onlyCopies",
    ]

    /// The changes from one configuration to another.
    public struct Change: Hashable, Sendable {
        /// With the keys around it, such as `trigger.timeout`.
        public var key: String
        /// nil: not stated.
        public var old: String?
        public var new: String?

        /// Whether a coordinator that runs takes it over.
        public var isLive: Bool { CoordinatorConfiguration.liveKeys.contains(key) }
    }

    /// What differs in another configuration, in the order of its keys.
    public func changes(to other: CoordinatorConfiguration) -> [Change] {
        let (old, new) = (flattened, other.flattened)
        let keys = old.map(\.key) + new.map(\.key).filter { key in !old.contains { $0.key == key } }
        return keys.compactMap { key in
            let change = Change(
                key: key, old: old.first { $0.key == key }?.value, new: new.first { $0.key == key }?.value)
            return change.old == change.new ? nil : change
        }
    }

    /// This configuration with the values of another one that a coordinator takes over while it runs.
    public func reloading(_ other: CoordinatorConfiguration) -> CoordinatorConfiguration {
        var configuration = self
        (configuration.collect, configuration.trigger) = (other.collect, other.trigger)
        configuration.library.keep = other.library.keep
        return configuration
    }

    private var flattened: [(key: String, value: String)] {
        var builder = MappingBuilder()
        write(&builder)
        return builder.flattened
    }
}
