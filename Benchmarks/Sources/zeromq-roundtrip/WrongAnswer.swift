/// The peer answered something else than what it was sent, or the socket ended.
struct WrongAnswer: Error, CustomStringConvertible {
    let description = "the answer is not the message that was sent"
}
