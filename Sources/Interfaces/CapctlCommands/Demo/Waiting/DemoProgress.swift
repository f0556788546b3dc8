internal import CaptureModel
internal import PosixSupport

/// Says what a demo waits for, as long as it waits.
///
/// On a terminal, one line shows the newest state and is rewritten. Elsewhere, each new topic is a line, and so is the
/// newest state after every ``silenceLimit`` without one. ``run()`` must be executing.
final class DemoProgress: Sendable {
    /// The longest silence while something is awaited.
    static let silenceLimit = Duration.seconds(5)
    /// How often a terminal's line shows how long the wait has taken.
    private static let period = Duration.seconds(1)
    /// Characters; a longer line would wrap, and only its end would be rewritten.
    private static let lineLimit = 79

    private let console: Console
    private let time: any TimeSource
    private let state = Locked<Wait?>(nil)

    /// What is awaited.
    private struct Wait: Sendable {
        /// Stays the same while the same is awaited, such as `waiting for cameras`.
        var topic: String
        /// What is still missing, which may change often.
        var detail: String
        /// When the topic began.
        var start: LocalTime
        /// When it was last printed.
        var printed: LocalTime
    }

    init(console: Console, time: any TimeSource) {
        self.console = console
        self.time = time
    }

    /// Says what is awaited from here on.
    func show(_ topic: String, _ detail: String = "") {
        let now = time.now()
        state.withLock { state in
            let isNew = state?.topic != topic
            guard isNew || state?.detail != detail else { return }
            var wait = Wait(topic: topic, detail: detail, start: now, printed: now)
            if let old = state, !isNew { (wait.start, wait.printed) = (old.start, old.printed) }
            if isNew || console.isTerminal { print(&wait, at: now) }
            state = wait
        }
    }

    /// Ends the wait, and removes a terminal's line.
    func end() {
        state.withLock { state in
            guard state != nil else { return }
            state = nil
            console.endProgress()
        }
    }

    /// Prints the state of a long wait again and again, until the task is cancelled.
    func run() async {
        while (try? await time.sleep(for: Self.period)) != nil {
            let now = time.now()
            state.withLock { state in
                guard var wait = state, console.isTerminal || now - wait.printed >= Self.silenceLimit else { return }
                print(&wait, at: now)
                state = wait
            }
        }
    }

    /// Called with the lock held, so that lines come in the order of the states.
    private func print(_ wait: inout Wait, at now: LocalTime) {
        wait.printed = now
        let seconds = Int((now - wait.start).seconds)
        let elapsed = seconds > 0 ? " (\(seconds) s)" : ""
        let line = wait.detail.isEmpty ? wait.topic : "\(wait.topic): \(wait.detail)"
        guard console.isTerminal else { return console.hint("capctl: \(line)\(elapsed)\n") }
        let room = Self.lineLimit - elapsed.count
        console.progress((line.count > room ? line.prefix(room - 1) + "…" : line) + elapsed)
    }
}
