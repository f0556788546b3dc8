import ArgumentParser
import ClientContexts
import DaemonSupport
import FaultPoints
import Foundation
import KeyFiles
import RigConfiguration
import RigSecurity
import SystemClock
import WebGateway

@main
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capwebd", abstract: "Serves a rig's dashboard page and HTTP API.",
        discussion: """
            It needs a key of role dashboard: `capctl keys invite NAME --role dashboard` prints a code, and `capctl join CODE` as \
            the user of this program makes a context. Sign in with a link of `capctl web login`.
            """, version: WebGateway.software)

    @Option(help: "The context of the rig (default: CAPRIG_CONTEXT, then the current one).")
    var context: String?
    @Option(
        help: "Address to listen on. Beyond loopback, this program speaks TLS, or plain HTTP with listed proxies only.")
    var listen = "127.0.0.1"
    @Option(help: "TCP port; 0 selects a free one.")
    var port: UInt16 = 7780
    @Option(
        help:
            "A further name, as HOST or HOST:PORT, by which browsers reach it, such as through a reverse proxy; repeatable."
    )
    var host: [String] = []
    @Flag(help: "Speak TLS on loopback too.")
    var tls = false
    @Option(
        help: "PEM file of the certificate and its chain (default: one that this program makes). Needs --private-key.")
    var certificate: String?
    @Option(help: "PEM file of the certificate's private key.")
    var privateKey: String?
    @Option(
        name: .customLong("proxy"),
        help: "Numeric address of a reverse proxy with TLS, which may speak plain HTTP to this program; repeatable.",
        transform: IPAddress.onCommandLine)
    var proxies: [IPAddress] = []
    @Flag(help: "Browsers reach it over TLS, through a reverse proxy on this machine: cookies are for TLS only.")
    var behindTLS = false
    @Option(
        help:
            "File with a token of `capctl web token --may view`, in whose name requests without a session look, which only this program's user can read (default: they are refused)."
    )
    var anonymous: String?
    @Option(help: "The folder of the page (default: beside this program).")
    var page: String?
    @Option(
        help:
            "Folder for movies while they are encoded for a download (default: caprig/movies in XDG_CACHE_HOME, or in .cache of HOME)."
    )
    var movies: String?
    @Option(
        help: "The most bytes in that folder, with a unit, such as 4GB (default: 16GiB).",
        transform: ByteCount.onCommandLine)
    var movieSpace: ByteCount?
    @OptionGroup(title: "MQTT") var mqtt: MQTTOptions
    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var faults: FaultOptions

    func validate() throws {
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("--certificate and --private-key belong together; give both or none")
        }
        let speaksTLS = tls || certificate != nil
        guard proxies.isEmpty || !speaksTLS else {
            throw ValidationError(
                "--proxy is for plain HTTP behind a reverse proxy with TLS; leave it out, or --tls and --certificate")
        }
        guard !behindTLS || !speaksTLS else {
            throw ValidationError(
                "--behind-tls is for plain HTTP behind a reverse proxy; leave it out with --tls and --certificate")
        }
        guard !behindTLS || !proxies.isEmpty || isLoopback else {
            throw ValidationError(
                "--behind-tls is for a reverse proxy on this machine, but --listen \(listen) is not a loopback address; name the proxy with --proxy ADDRESS"
            )
        }
    }

    private var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(listen) }

    private func transport(folder: String) -> GatewayTransport {
        if let certificate, let privateKey { return .tls(.files(certificate: certificate, privateKey: privateKey)) }
        if !proxies.isEmpty { return .proxies(Set(proxies.map(\.unmapped))) }
        return tls || !isLoopback ? .tls(.own(folder: "\(folder)/web")) : .loopback(isBehindTLS: behindTLS)
    }

    func run() async throws {
        var configuration = WebGateway.Configuration(movies: movies ?? Self.movieFolder)
        if let movieSpace { configuration.movieSpace = movieSpace.bytes }
        configuration.listen = listen == "localhost" ? "127.0.0.1" : listen
        (configuration.port, configuration.hosts, configuration.page) = (port, host, page)
        configuration.anonymousToken = anonymous
        let contexts = try await Daemon.configuration {
            try ContextFile(environment: ProcessInfo.processInfo.environment)
        }
        configuration.transport = try await Daemon.configuration {
            let transport = transport(folder: contexts.folder)
            try transport.checkAvailability()
            return transport
        }
        configuration.mqtt = try await Daemon.configuration { try mqtt.configuration }
        let chosen = try await Daemon.configuration { try chosenContext(contexts) }
        let clock = SystemTimeSource()
        try await Daemon.start(
            "capwebd", daemon, faults, points: FaultCatalogue([]), clock: clock,
            make: { log in
                try WebGateway(
                    configuration, rig: chosen, contexts: contexts,
                    program: Bundle.main.executablePath ?? CommandLine.arguments[0],
                    time: clock, log: log)
            },
            announcement: { Announcement(address: try await $0.address) })
    }

    /// A variable that is not an absolute path counts as unset (XDG Base Directory).
    private static var movieFolder: String {
        let environment = ProcessInfo.processInfo.environment
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let base = absolute("XDG_CACHE_HOME") ?? absolute("HOME").map { "\($0)/.cache" } ?? "/tmp"
        return "\(base)/caprig/movies"
    }

    private func chosenContext(_ file: ContextFile) throws -> ClientContext {
        let environment = ProcessInfo.processInfo.environment
        let choice = try ContextChoice.resolve(
            option: context, environment: environment, contexts: try file.load(), path: file.path
        ) { () throws(KeyFileError) in
            try AdminKey(in: AdminKey.serviceFolder).load()
        }
        switch choice {
        case .context(let context, _): return context
        case .localAdmin:
            throw ValidationError(
                "capwebd needs a key of its own, with the role dashboard; make a code: capctl keys invite web --role dashboard, "
                    + "and join with it as this user: capctl join CODE")
        }
    }

    private struct Announcement: Encodable {
        var ready = true
        var address: String
    }
}

extension IPAddress {
    fileprivate static func onCommandLine(_ text: String) throws -> IPAddress {
        guard let address = IPAddress(text) else {
            throw ValidationError("'\(text)' is not a numeric address; give one such as 192.168.1.10")
        }
        return address
    }
}

extension ByteCount {
    fileprivate static func onCommandLine(_ text: String) throws -> ByteCount {
        guard let size = ByteCount(text: text), size.bytes > 0 else {
            throw ValidationError("'\(text)' is not a size; write one with its unit, such as 500MB or 2GiB")
        }
        return size
    }
}
