public import CaptureModel

/// A device that a backend has found on this machine. Its members are what programs are told of it.
public protocol DeviceListing: Encodable, Sendable {
    var mediaType: MediaType { get }

    /// What people are told: what it is, the lines of a configuration that mean it, and whether it may be opened.
    var paragraph: [String] { get }
}

/// What a backend has found on this machine.
public struct Discovery: Sendable {
    public var listings: [any DeviceListing]
    /// What people are told where there is none: a sentence.
    public var absence: String

    public init(_ listings: [any DeviceListing], absence: String) {
        self.listings = listings
        self.absence = absence
    }
}
