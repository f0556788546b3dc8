internal import ArgumentParser
internal import CaptureModel
internal import Foundation
internal import QRCodes
internal import RigClient
internal import RigDocuments
internal import RigSecurity

/// `capctl web login`.
struct WebLoginCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "login", abstract: "Print a link that signs a browser in.",
        discussion: """
            The link is valid for ten minutes and for one sign-in. It is a secret until it is used. The browser then acts in your \
            name, until its time has passed or the session is ended. On a terminal, a QR code for a phone is shown too.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl web login", needs: "a gateway"),
        "capctl web login --at https://rig.example:7780/ --for 8h",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var session: WebSessionOptions
    @Option(help: "The address of the gateway, as the browser reaches it (default: one that serves the rig).")
    var at: String?

    func validate() throws {
        guard let at else { return }
        guard let url = URL(string: at), ["http", "https"].contains(url.scheme), url.host() != nil,
            url.fragment() == nil
        else {
            throw ValidationError(
                "--at \(at) is not the address of a gateway; give one such as https://rig.example/caprig/")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let gateways = try await rig.withClient { try await $0.status().gateways }
        let choice = GatewayChoice(among: gateways, at: at)
        if let note = choice.note { console.note(note) }
        let (issued, secret) = try await session.issue(.link, defaultValidity: .seconds(12 * 3600), rig)
        let link = "\(choice.address)login.html#\(secret.text)"
        try output.show(LinkReport(session: issued, link: link, certificate: choice.certificate), on: console)
        if output.format.isForPeople, !output.quiet, console.isTerminal, let code = QRCode(Array(link.utf8)) {
            console.note(code.terminalText)
        }
        return .complete
    }
}

/// The gateway that a link leads to.
struct GatewayChoice: Hashable {
    /// Ends with a slash.
    var address: String
    /// Of a certificate that the gateway has made itself; nil otherwise.
    var certificate: ContentDigest?
    /// What the person should know of the choice.
    var note: String?

    static let usual = "http://localhost:7780/"

    /// The address that was asked for; otherwise the first gateway that other machines reach, or of this machine alone, with TLS before
    /// without.
    init(among gateways: [GatewayStatus], at asked: String?) {
        let reached = gateways.filter { !Self.isLoopback($0.address) }
        let candidates = reached.isEmpty ? gateways : reached
        if let asked {
            address = asked.hasSuffix("/") ? asked : asked + "/"
            certificate = gateways.first { [address] in $0.address == address }?.certificate
        } else if let gateway = candidates.first(where: { $0.address.hasPrefix("https:") }) ?? candidates.first {
            (address, certificate) = (gateway.address, gateway.certificate)
            let others = gateways.map(\.address).filter { [address] in $0 != address }
            note = reached.isEmpty ? Self.local(gateway) : nil
            if !others.isEmpty {
                note =
                    (note ?? "")
                    + "other gateways serve this rig too: \(others.joined(separator: ", ")); choose one with --at\n"
            }
        } else {
            address = Self.usual
            note = "no gateway serves this rig now; start capwebd, or name its address with --at\n"
        }
    }

    private static func isLoopback(_ address: String) -> Bool {
        guard let host = URL(string: address)?.host() else { return false }
        return host == "localhost" || IPAddress(host.filter { !"[]".contains($0) })?.isLoopback == true
    }

    private static func local(_ gateway: GatewayStatus) -> String {
        "only browsers on the machine of gateway '\(gateway.name)' reach this address; for others, start capwebd with "
            + "--listen 0.0.0.0, or name the address of its reverse proxy with --at\n"
    }
}

/// A sign-in link.
struct LinkReport: Report {
    var session: RigSession
    var link: String
    /// Of a certificate that the gateway has made itself; nil otherwise.
    var certificate: ContentDigest?

    struct Document: Encodable {
        var certificateSHA256: String?
        var link: String
        var session: WebSessionDocument
    }

    var document: Document {
        Document(
            certificateSHA256: certificate.map(GatewayDocument.fingerprint), link: link,
            session: WebSessionDocument(session))
    }

    var names: [String]? { [link] }

    func table(_ layout: TextLayout) -> String {
        let fingerprint = certificate.map {
            "The browser warns of a certificate that the gateway has made itself. Go on only if its SHA-256 fingerprint is\n"
                + "\(GatewayDocument.fingerprint($0))\n"
        }
        return "\(link)\nvalid until \(session.expires), for one sign-in\n" + (fingerprint ?? "")
    }
}
