import CameraKit
import CaptureModel

/// A running session that leaves its stream's format for a still that is larger than the stream's frames, and comes back.
///
/// It is `interrupted(largerPhoto)` from the first step to the last. Whatever else happens to it (a stop, a failure of the
/// stream on its way back) ends the format switch.
extension SessionMachine {
    /// How far a format switch has come.
    public enum FormatSwitch: Hashable, Sendable {
        /// The stream is being closed.
        case leaving
        /// The still's format is being opened, or is open.
        case away
        /// The still's format is being closed; or the stream's is being opened, or has had no good frame yet.
        case returning
    }

    /// Closes the stream of a running session, to open the still's format.
    mutating func depart(for why: String) -> [Action] {
        guard state == .running, hardware == .open else { return [] }
        let notices = enter(SessionTrouble(.interruption(.largerPhoto), why))
        formatSwitch = .leaving
        hardware = .closing
        return notices + [.close]
    }

    /// The still's frames are there, or given up.
    mutating func comeBack() -> [Action] {
        switch formatSwitch {
        case .leaving:
            // The stream is being closed, and will be opened instead of the other format.
            formatSwitch = .returning
            return []
        case .away:
            return turnBack()
        case .returning, nil:
            return []
        }
    }

    /// Closes the still's format, be it open or still being opened.
    mutating func turnBack() -> [Action] {
        formatSwitch = .returning
        hardware = .closing
        return [.close]
    }

    /// Opens what the format switch needs next, once the hardware is closed.
    mutating func goOn(_ formatSwitch: FormatSwitch) -> [Action] {
        self.formatSwitch = formatSwitch == .leaving ? .away : .returning
        return open()
    }
}
