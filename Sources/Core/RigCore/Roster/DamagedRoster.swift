/// The roster file is there and cannot be read as one.
struct DamagedRoster: Error, Hashable, CustomStringConvertible {
    var path: String
    var reason: String

    var description: String {
        "the roster \(path) cannot be read: \(reason); restore it from a copy, or move it away to begin with the cameras "
            + "that connect"
    }
}
