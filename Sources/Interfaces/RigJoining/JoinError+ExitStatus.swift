public import RigClient

extension JoinError {
    /// The exit status of a command that ends with this error, as in `docs/capctl.md`.
    public var exitStatus: Int32 {
        switch code {
        case .noCoordinator: 6
        case .refused, .wrongCoordinator, .wrongChannel, .notApproved: 4
        case .malformedReply: 1
        }
    }
}

extension RigJoin {
    /// Returns the exit status of a command to which this error happened while it joined.
    public static func exitStatus(of error: any Error) -> Int32 { (error as? JoinError)?.exitStatus ?? 1 }
}
