/// What `zeromq-roundtrip ask` is to do.
struct RoundTripRequest: Sendable {
    /// Round trips before the first that counts.
    static let warmUp = 100

    var endpoint: String
    var byteCount: Int
    var count: Int
    /// Whether the asking code runs on the socket's thread; otherwise in an ordinary task.
    var usesActor: Bool

    init?(_ arguments: ArraySlice<String>) {
        let words = Array(arguments)
        guard words.count == 5, words[0] == "ask", let byteCount = Int(words[2]), let count = Int(words[3]),
            (1...16_000_000).contains(byteCount), (1...1_000_000).contains(count), ["actor", "task"].contains(words[4])
        else { return nil }
        (endpoint, self.byteCount, self.count, usesActor) = (words[1], byteCount, count, words[4] == "actor")
    }
}
