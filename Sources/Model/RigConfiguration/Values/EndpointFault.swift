import CaptureModel

/// Why a text is not an endpoint: a sentence for people.
public struct EndpointFault: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
