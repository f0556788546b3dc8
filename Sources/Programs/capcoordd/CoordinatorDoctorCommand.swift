import ArgumentParser
import DaemonSupport
import Doctor
import PosixSupport
import RigConfiguration
import SystemClock

/// `capcoordd doctor`.
struct CoordinatorDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check this machine, and name what fixes each thing that is found.",
        discussion: """
            Checks what a coordinator needs: disks, clocks, ports, limits. Run it as the user of the service. The coordinator may run.

              capcoordd doctor --config /etc/caprig/coordinator.yaml
              capcoordd doctor --library ./library --format json

            Exit status: 0 nothing found, 3 warnings, 4 problems, 64 wrong command line or configuration, 1 anything else.
            """)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var output: ExaminationOptions

    func run() async throws {
        let configuration = try await Daemon.configuration { try place.configuration() }
        let examination = Self.examined(configuration)
        print(try output.rendered(examination), terminator: "")
        if examination.exitStatus != 0 { throw ExitCode(examination.exitStatus) }
    }

    private static func examined(_ configuration: CoordinatorConfiguration) -> Examination {
        let time = SystemTimeSource()
        let running = MachineProbe.daemon("capcoordd", using: configuration.library.folder)
        let machine = MachineProbe(time: time)
        var examination = Examination()
        examination.perform(DiskFacts.checks, on: disks(configuration).map(DiskProbe(time: time).examined))
        examination.perform(ClockFacts.checks, on: machine.clock())
        examination.perform(ListenFacts.checks, on: ports(configuration, running))
        examination.perform(LimitFacts.checks, on: machine.limits(of: "capcoordd", running))
        return examination
    }

    private static func disks(_ configuration: CoordinatorConfiguration) -> [DiskFacts] {
        let user = Accounts.name(ofUser: Accounts.currentUser)
        return [
            DiskFacts(
                "library", at: configuration.library.folder, setting: "library.folder", user: user,
                wantedBytes: 2_000_000_000),
            DiskFacts("state", at: configuration.stateFolder, setting: "state.folder", user: user, isPrivate: true),
        ]
    }

    private static func ports(_ configuration: CoordinatorConfiguration, _ running: RunningProcess?) -> [ListenFacts] {
        let listen = configuration.listen
        let channels: [CoordinatorPort] = [.control, .clock, .collect, .client, .feed, .join]
        return channels.map { channel in
            let port = listen.basePort == 0 ? 0 : listen.basePort + channel.rawValue
            return ListenFacts(
                "capcoordd", "\(channel) channel", setting: "listen", host: listen.host, port: port,
                state: MachineProbe.listening(on: listen.host, port: port, setting: "listen", "capcoordd", running),
                hasRemotePeers: false)
        }
    }
}
