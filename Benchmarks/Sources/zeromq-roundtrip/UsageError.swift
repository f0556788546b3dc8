/// The command line is none that the program knows.
struct UsageError: Error, CustomStringConvertible {
    let description = "usage: zeromq-roundtrip serve | ask ENDPOINT BYTES COUNT actor|task"
}
