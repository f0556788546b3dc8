/// Why a single value is not valid for its key. The reader adds the position.
public struct ScalarFault: Error {
    public var reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
