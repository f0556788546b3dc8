/// Why a single value cannot be what its key needs; the reader adds where it stands.
struct ScalarFault: Error {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
