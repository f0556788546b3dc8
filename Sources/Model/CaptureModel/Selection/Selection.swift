/// Which devices a command means: one grammar for API, bus and command line.
///
/// The filters narrow the candidates (an empty filter lets everything pass); then `choice` takes some of them.
public struct Selection: Hashable, Sendable {
    public var mediaType: MediaType
    public var nodes: [NodeName]
    public var devices: [DeviceID]
    public var labels: [String]
    public var choice: Choice

    /// What is taken of the candidates.
    public enum Choice: Hashable, Sendable {
        /// Every candidate, whether usable or not: an unusable one becomes a missed outcome.
        case all
        /// Every candidate that matches one of the pairs, whether usable or not.
        case matching([TypeAndPosition])
        /// Within each scope the first usable candidate of the first pair that has one, after AVFoundation's default
        /// device chain; where none is usable, the first candidate of the first pair that has one.
        case first([TypeAndPosition], per: Scope)
    }

    /// Within what `first` takes one device.
    public enum Scope: String, Hashable, Codable, Sendable, CaseIterable {
        case rig
        case node
        case label
    }

    public init(
        mediaType: MediaType = .video, nodes: [NodeName] = [], devices: [DeviceID] = [], labels: [String] = [],
        choice: Choice = .all
    ) {
        self.mediaType = mediaType
        self.nodes = nodes
        self.devices = devices
        self.labels = labels
        self.choice = choice
    }
}

/// A step of a chain: a device type, or any, at a position, or any.
public struct TypeAndPosition: Hashable, Sendable {
    /// nil matches any type.
    public var type: DeviceType?
    /// `.unspecified` matches any position.
    public var position: Position

    public init(type: DeviceType? = nil, position: Position = .unspecified) {
        self.type = type
        self.position = position
    }
}
