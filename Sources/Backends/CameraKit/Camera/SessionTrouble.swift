public import CaptureModel

/// What took a stream away, or kept it from beginning, by what is to be done about it.
public struct SessionTrouble: Hashable, Sendable, CustomStringConvertible {
    /// What is to be done about a trouble.
    public enum Kind: Hashable, Sendable {
        /// Nothing but to wait for the end of an outer reason.
        case interruption(InterruptionReason)
        /// The system refuses this process; a person has to grant access.
        case refused(AuthorizationStatus)
        /// What was configured cannot be had; a person has to change it.
        case configuration(step: String)
        /// The device or its driver failed.
        case runtime
        /// As `runtime`: the stream delivered no good frame for longer than the watchdog allows.
        case stall
    }

    public var kind: Kind
    /// A sentence: what, which device, why.
    public var description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    public init(_ error: CameraError) {
        description = error.description
        switch error.code {
        case .absent: kind = .interruption(.deviceAbsent)
        case .busy: kind = .interruption(.inUseByAnotherClient)
        case .noBandwidth: kind = .interruption(.noBandwidth)
        case .denied: kind = .refused(.denied)
        case .restricted: kind = .refused(.restricted)
        case .failed: kind = .runtime
        // What cannot be had as it is configured: no such format, more than one such device.
        default: kind = .configuration(step: error.operation)
        }
    }
}
