// swift-tools-version: 6.2
import PackageDescription

/// Programs that `bench.py` measures. The package above is used by its products only, so nothing else of it is built.
let package = Package(
    name: "caprig-benchmarks",
    dependencies: [.package(name: "caprig", path: "..")],
    targets: [
        .executableTarget(
            name: "zeromq-roundtrip", dependencies: [.product(name: "ZeroMQ", package: "caprig")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
            ])
    ]
)
