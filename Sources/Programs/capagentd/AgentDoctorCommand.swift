import ArgumentParser
import CameraKit
import CaptureBackends
import DaemonSupport
import Doctor
import RigConfiguration
import SystemClock

/// `capagentd doctor`.
struct AgentDoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check this machine, and name what fixes each thing that is found.",
        discussion: """
            Checks what the configuration of a node needs: rights to cameras, USB bandwidth, disks, clocks, ports, the coordinator, \
            limits, encoders. Run as root, it checks what the user of the service may do. The agent may run.

              capagentd doctor
              capagentd doctor --config ./agent.yaml --format json

            Exit status: 0 nothing found, 3 warnings, 4 problems, 64 wrong command line or configuration, 1 anything else.
            """)

    @Option(help: "Configuration file (YAML) of the node.")
    var config = AgentConfiguration.serviceFile
    @OptionGroup var output: ExaminationOptions

    func run() async throws {
        let configuration = try await Daemon.configuration {
            try AgentConfiguration(file: try ConfigurationFile(config))
        }
        let examiner = AgentExaminer(configuration, file: config, time: SystemTimeSource())
        let examination = try await examiner.examine()
        print(try output.rendered(examination), terminator: "")
        if examination.exitStatus != 0 { throw ExitCode(examination.exitStatus) }
    }
}

extension AgentConfiguration {
    /// The configuration file of the service.
    static let serviceFile = "/etc/caprig/agent.yaml"

    /// Reads a configuration file with the sources of all backends.
    init(file: ConfigurationFile) throws {
        self = try .parse(text: file.text, file: file.name, folder: file.folder, sources: Backends.all.sources)
    }
}
