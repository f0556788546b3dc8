import CaptureModel
import CaptureTestSupport
import Catalogue
import Foundation
import RigSecurity
import RigTestSupport
import Testing

@testable import RigAccess
@testable import RigCore

@Suite struct RequestPermissionTests {
    /// The table of docs/protocol/permissions.md.
    private var table: String {
        let columns = Permission.allCases.map(\.rawValue)
        let rows = RequestKind.allCases.map { kind in
            "| `\(kind.rawValue)` | "
                + Permission.allCases.map { kind.permissions.contains($0) ? "yes" : "–" }.joined(separator: " | ")
                + " |"
        }
        let head = "| request | " + columns.joined(separator: " | ") + " |\n"
        return head + "|---|" + columns.map { _ in "---|" }.joined() + "\n" + rows.joined(separator: "\n") + "\n"
    }

    @Test func `the page on permissions has the table of the code`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/protocol/permissions.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains(table), "docs/protocol/permissions.md needs this table:\n\(table)")
    }

    /// A command of each kind.
    func commands() throws -> [(RequestKind, RigCommand)] {
        let device = try DeviceID("north/cam")
        func of(_ command: DeviceCommand?) -> RigCommand { .device(DeviceRequest(device: device, command: command)) }
        let selection = Selection(devices: [device])
        var take = PhotoSettings()
        take.movie = MovieSettings()
        return try [
            (.triggerShot, .trigger(TriggerRequest(shot: Samples.shot(), request: ShotRequest(selection: selection)))),
            (
                .startTake,
                .trigger(
                    TriggerRequest(shot: Samples.shot(), request: ShotRequest(selection: selection, settings: take)))
            ),
            (.stopTake, .stopTake(StopTakeRequest(take: nil))),
            (.markTake, .markTake(MarkTakeRequest(mark: 1, text: "here"))),
            (.editShot, .annotate(Samples.shot(), ShotAnnotationEdit(title: "a title", reject: [device]))),
            (.deleteShot, .delete(ShotDeletionRequest(shot: Samples.shot(), evenOnlyCopy: true))),
            (.startSession, of(.startSession)), (.stopSession, of(.stopSession(force: false))),
            (.resumeSession, of(.resumeSession)), (.switchInput, of(.switchInput(to: device.device))),
            (.setControls, of(.setControls(["gain": 1]))),
            (.setConnection, of(.setConnection(orientation: nil, isMirrored: true))),
            (.alignCamera, of(.align(AlignmentRequest()))),
            (
                .applySettings,
                .applySettings(
                    SettingsRequest(
                        id: Samples.settings(), selection: selection,
                        settings: CaptureSettings(parsing: "exposure=8ms gain=40%")))
            ),
            (.cancelSettings, .cancelSettings(Samples.settings())),
            (.saveProfile, .profile(.save(try #require(ProfileName("night")), selection))),
            (.removeProfile, .profile(.remove(try #require(ProfileName("night"))))),
            (.discardCaptures, of(.discardCaptures([], isDamaged: false))), (.forgetDevices, .forgetDevices([device])),
            (.otherDeviceCommand, of(nil)), (.describeDevice, of(.describe)),
            (.canSwitchInput, of(.canSwitchInput(to: device.device))),
            (.measureDevice, of(.measure(MeasureRequest()))), (.getHeldSettings, of(.heldSettings)),
            (.keepDelays, of(.keepDelays([]))), (.keepStamps, of(.keepStamps(StampCorrection()))),
            (.listSpool, of(.listSpool(after: nil, isDamaged: false))),
            (
                .announceGateway,
                .announceGateway(GatewayAddress(address: "https://rig.example/", certificate: nil))
            ),
            (.takeHold, .hold(.take(HoldRequest(duration: .seconds(60))))),
            (.releaseHold, .hold(.release(overriding: nil))),
            (.overrideHold, .hold(.take(HoldRequest(duration: .seconds(60), overrides: "ben")))),
        ] + keyCommands()
    }

    private func keyCommands() throws -> [(RequestKind, RigCommand)] {
        let name = try KeyName("left-arm")
        let fingerprint = try FingerprintPrefix("abcdefghjkmn")
        let key = try #require(PublicKey(bytes: Array(1...32)))
        return [
            (.inviteKey, .keys(.invite(name, .node))), (.withdrawInvitation, .keys(.withdraw(name))),
            (.approveKey, .keys(.approve(fingerprint, as: name, .node))), (.declineKey, .keys(.decline(fingerprint))),
            (.revokeKey, .keys(.revoke("left-arm"))), (.renameKey, .keys(.rename(name, to: name))),
            (.rotateKey, .keys(.rotate(from: key, isCompromised: false))), (.endKeyRotation, .keys(.endRotation)),
            (.exportKey, .keys(.export(passphrase: "correct horse"))),
            (
                .issueSession,
                .keys(
                    .issueSession(
                        KeyRegistry.SessionRequest(
                            kind: .link, label: "wall", permissions: [.view], validity: .seconds(60))))
            ),
            (.redeemLink, .keys(.redeemLink(SessionSecret()))),
            (.endSession, .keys(.endSession(SessionID(of: SessionSecret().hash)))),
        ]
    }

    /// A query of each kind, except for a stored file.
    var queries: [(RequestKind, RigQuery)] {
        let shot = Samples.shot()
        return [
            (.listDevices, .devices), (.getStatus, .status), (.getEvents, .events(after: nil, limit: 1)),
            (.listKeys, .keys), (.listSessions, .sessions), (.getIdentity, .identity),
            (.listShots, .shots(ShotPage(ShotQuery(), limit: 1))), (.getShot, .shot(shot)),
            (.getManifest, .manifest(of: shot, digest: Samples.digest([1]), from: 0, limit: 1)),
            (.readPicture, .picture(PictureRequest(shot: shot, file: "north.cam/photo.jpg", picture: .preview))),
            (.verifyShot, .verification(of: shot)), (.verifyRest, .unclaimedFiles),
            (.readAudit, .audit(AuditRange(file: nil, offset: 0, count: 1))),
            (.listProfiles, .profiles), (.getHeldSettings, .heldSettings(Selection())), (.listSettings, .pastSettings),
        ] + [ProfileReference("night")].compactMap { $0 }.map { (.getProfile, .profile($0)) }
    }

    private func isRefused(_ answers: [RigAnswer]) -> Bool {
        guard answers.count == 1, case .refused(let problem) = answers[0] else { return false }
        return problem.code == .notPermitted
    }

    @Test func `every request is refused without its permission, and no request with it`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder())
        var seen: Set<RequestKind> = []
        for (kind, command) in try commands() {
            seen.insert(kind)
            let missing = Set(Permission.allCases).subtracting(kind.permissions)
            #expect(isRefused(await bench.answers(to: command, with: missing).value), "\(kind)")
            var requester = Requester(.unnamed, kind.permissions, Samples.requester())
            requester.isGateway = true
            let request = RigRequest.command(command, by: requester)
            #expect(request.kind == kind && request.missingPermission == nil)
        }
        for (kind, query) in queries {
            seen.insert(kind)
            let missing = Set(Permission.allCases).subtracting(kind.permissions)
            #expect(isRefused([try #require(await bench.answer(to: query, with: missing))]), "\(kind)")
            #expect(!isRefused([try #require(await bench.answer(to: query, with: kind.permissions))]), "\(kind)")
        }
        // Which files there are to read, StoredFilesTests says.
        #expect(seen == Set(RequestKind.allCases).subtracting([.readAsset]))
        #expect(RequestKind.readAsset.permissions == [.read])
    }

    @Test func `a refusal blames the session that may not, and says in words what it may not`() throws {
        let admin = try #require(Principal(claimed: "admin"))
        let token = Session(
            secret: TokenHash(of: JoinToken()), kind: .token, label: "wall",
            maker: try #require(PublicKey(bytes: Array(1...32))), permissions: [.read],
            issuedAt: WallTime(nanoseconds: 0), expiresAt: WallTime(nanoseconds: 1), grants: nil)
        let gateway = Requester.Forwarding(gateway: try #require(Principal(claimed: "web")), session: token)
        let limited = RigRequest.query(.status, by: Requester(admin, [.read], Samples.requester(), forwarding: gateway))
        let refusal = try #require(limited.missingPermission)
        #expect(refusal.message.hasPrefix("this session of admin does not have the permission 'view'"))
        #expect(refusal.message.contains("link or token"))
        let direct = RigRequest.query(.status, by: Requester(admin, [.read], Samples.requester()))
        #expect(direct.missingPermission?.message.hasPrefix("admin does not have the permission 'view'") == true)
        for kind in RequestKind.allCases {
            let isInnerCapital = kind.activity.contains { $0.isUppercase }
            #expect(!isInnerCapital && kind.activity.contains(" "), "\(kind.activity)")
        }
    }

    @Test func `nobody but a gateway announces one, whatever else he may`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder())
        let announcement = GatewayAddress(address: "https://evil.example/", certificate: nil)
        #expect(
            isRefused(await bench.answers(to: .announceGateway(announcement), with: Set(Permission.allCases)).value))
    }

    @Test func `a refusal names the principal, the request and the permissions that would suffice`() async throws {
        let bench = try await ServiceBench(folder: try TemporaryFolder())
        let anna = try #require(Principal(claimed: "anna@studio-1"))
        let (_, command) = try commands()[0]
        let answers = await bench.answers(to: command, by: anna, with: [.view]).value
        guard case .refused(let problem) = answers.first else {
            Issue.record("\(answers)")
            return
        }
        for part in ["anna@studio-1", "to trigger a shot", "'add' or 'trigger'", "administrator"] {
            #expect(problem.message.contains(part), "\(problem)")
        }
    }
}
