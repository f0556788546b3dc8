/// Why a single value cannot be what its key needs; the reader adds where it stands.
public struct ScalarFault: Error {
    public var reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
