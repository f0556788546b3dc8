internal import Dispatch
internal import Glibc

/// Why a command ends without a result: the exit status and a text that says what, why, and what to do.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    var status: CommandStatus
    var message: String

    init(_ status: CommandStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var description: String { message }
}
