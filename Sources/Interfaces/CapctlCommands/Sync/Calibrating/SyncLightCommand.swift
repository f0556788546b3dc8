internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments
internal import ScreenTiming
internal import SystemClock

/// `capctl sync light`.
struct SyncLightCommand: CapctlCommand {
    static let help = CommandConfiguration(
        commandName: "light", abstract: "Switch a diode of this machine for `capctl sync calibrate --led`.",
        discussion: """
            A light-emitting diode shows a switch at once, so that latencies are measured without a screen's lag. Run this on the \
            machine of the coordinator, whose clock is the rig's, while `capctl sync calibrate --led --times FILE` runs. The diode flashes \
            less than three times a second: do not look at it if flashing light harms you.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl sync light /sys/class/leds/ACT --times times.json", needs: "a diode")
    ]

    @OptionGroup var rig: RigOptions

    @Argument(help: ArgumentHelp("The folder of the diode.", valueName: "folder"), completion: .directory)
    var diode: String

    @Option(
        name: .customLong("times"),
        help: ArgumentHelp("Where to save the times at which it switched.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long to switch it (45s).", valueName: "duration"),
        transform: FrameOptions.duration)
    var length: Duration = .seconds(45)

    @Option(help: "The seed of the sequence that it shows (1).")
    var seed: UInt64 = 1

    func validate() throws {
        guard (.seconds(10) ... .seconds(900)).contains(length) else {
            throw ValidationError("--for is a duration of 10s to 15min.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let own = try RigClockID.ofThisProcess()
        let reading = try await rig.withClient { client in try await client.rigClock(own: own) }
        guard reading.clock == own else {
            throw CommandFailure(
                .failed, "the rig's clock is that of another machine; run this on the machine of the coordinator")
        }
        let light = try Diode(folder: diode)
        let run = DiodeRun(sequence: ScreenSequence(seed: seed), length: length)
        console.hint("capctl: \(diode) switches for \(length.shortText)\n")
        let times = try await StopSignals.untilStopped("interrupted; no times were saved") {
            try await run.times(of: light, on: own)
        }
        try times.save(to: file)
        console.hint("capctl: the times are in \(file)\n")
        return .complete
    }
}

/// Switches a diode as a screen is switched, and notes when it has switched.
struct DiodeRun: Sendable {
    var sequence: ScreenSequence
    var length: Duration
    /// The rig's clock.
    var clock: any TimeSource = SystemTimeSource()

    /// - Throws: ``CommandFailure`` if the diode cannot be switched; `CancellationError`. The diode is switched off then too.
    func times(of diode: Diode, on rigClock: RigClockID) async throws -> ScreenTimes {
        do {
            let times = try await run(diode, rigClock)
            _ = try await diode.set(false, clock)
            return times
        } catch {
            _ = try? await diode.set(false, clock)
            throw error
        }
    }

    private func run(_ diode: Diode, _ rigClock: RigClockID) async throws -> ScreenTimes {
        let start = RigTime(nanoseconds: clock.now().nanoseconds)
        var (switches, bound) = ([ScreenSwitch](), Duration.zero)
        for next in sequence.switches(from: start, to: start + length) {
            try await clock.sleep(until: LocalTime(nanoseconds: next.time.nanoseconds))
            let (before, after) = try await diode.set(next.isWhite, clock)
            let half = (after - before) / 2
            switches.append(
                ScreenSwitch(time: RigTime(nanoseconds: before.nanoseconds) + half, isWhite: next.isWhite))
            bound = max(bound, half)
        }
        return ScreenTimes(switches: switches, bound: bound, clock: rigClock)
    }
}
