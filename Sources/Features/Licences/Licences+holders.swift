import API
import Postgres
import School
import Values

extension Licences {
    /// The distinct holders that a body names, each with the location whose pool is drawn from.
    func holders(
        _ wanted: NewLicences, _ app: String, _ session: Session, _ caller: Caller
    ) async throws -> [Holder] {
        let location = try await location(wanted, session, caller)
        switch wanted.holders {
        case .people(let texts):
            return try await people(texts, app, at: location, session, caller)
        case .classOf(let reference):
            return try await students(of: reference, at: location, session, caller)
        case .devices(let serialNumbers):
            var poolLocation = location
            if poolLocation == nil { poolLocation = try await onlyPool(of: app, session, caller) }
            guard let poolLocation else {
                throw Problem.tooFewLicences.with(detail: "No location has a pool of it.")
            }
            return Set(serialNumbers).sorted().map {
                Holder(person: nil, serialNumber: $0, location: poolLocation)
            }
        }
    }

    func location(
        _ wanted: NewLicences, _ session: Session, _ caller: Caller
    ) async throws -> LocationID? {
        guard let reference = wanted.location else { return nil }
        let found = try await session.query(.location(reference, of: caller.organizationID))
        guard let row = found.first else { throw Problem.unknownReference("/locationId") }
        return LocationID(try row.uuid("id"))
    }

    private func people(
        _ texts: [String], _ app: String, at location: LocationID?, _ session: Session,
        _ caller: Caller
    ) async throws -> [Holder] {
        let references = texts.map { Reference<PersonEntity>($0) }
        let rows = try await session.query(
            .people(references, locationsFor: app, in: caller.organizationID))
        var holders: [PersonID: Holder] = [:]
        var errors: [Problem.Invalid] = []
        for (index, row) in rows.enumerated() where errors.count < 100 {
            let pointer = "/personIds/\(index)"
            switch try Self.holder(row, at: location) {
            case .success(let holder): holders[holder.person!] = holder
            case .failure(.unknown): errors += Problem.unknownReference(pointer).errors
            case .failure(let refusal):
                errors.append(refusal.invalid(at: pointer))
            }
        }
        guard errors.isEmpty else { throw Problem.invalid(errors) }
        return holders.sorted { $0.key.uuid < $1.key.uuid }.map(\.value)
    }

    /// Why a holder that a body names cannot be granted a licence.
    private enum Refusal: Error {
        case unknown
        case deactivated
        case nowhere
        case ambiguous

        func invalid(at pointer: String) -> Problem.Invalid {
            let (code, detail) =
                switch self {
                case .unknown:
                    (
                        "unknown_reference",
                        "This refers to something that does not exist or that you may not see."
                    )
                case .deactivated:
                    ("deactivated", "This person is deactivated and gets no licence.")
                case .nowhere:
                    ("no_location", "This person has no role anywhere; name a locationId.")
                case .ambiguous:
                    (
                        "ambiguous_location",
                        "This person has roles at several locations; name a locationId."
                    )
                }
            return Problem.Invalid(pointer: pointer, code: code, detail: detail)
        }
    }

    /// A person's location is the only one where he or she has a role or, if there are several, the only one with a
    /// pool.
    private static func holder(
        _ row: Row, at location: LocationID?
    ) throws -> Result<Holder, Refusal> {
        guard let id = try row.optionalUUID("person_id") else { return .failure(.unknown) }
        guard try row.bool("is_active") else { return .failure(.deactivated) }
        func holder(at poolLocation: LocationID) -> Result<Holder, Refusal> {
            .success(Holder(person: PersonID(id), serialNumber: nil, location: poolLocation))
        }
        if let location { return holder(at: location) }
        let pools = try row.uuidArray("pools")
        if pools.count == 1 { return holder(at: LocationID(pools[0])) }
        let locations = try row.uuidArray("locations")
        if locations.count == 1 { return holder(at: LocationID(locations[0])) }
        return .failure(locations.isEmpty ? .nowhere : .ambiguous)
    }

    /// The people with a seat in the class now, from the pool of the class's location.
    private func students(
        of reference: Reference<ClassEntity>, at location: LocationID?, _ session: Session,
        _ caller: Caller
    ) async throws -> [Holder] {
        let found = try await session.query(.classToLicense(reference, of: caller.organizationID))
        guard let row = found.first else { throw Problem.unknownReference("/classId") }
        if try row.bool("is_archived") { throw Problem.classArchived }
        let poolLocation = try location ?? LocationID(row.uuid("location_id"))
        let rows = try await session.query(
            .students(of: ClassID(try row.uuid("class_id")), in: caller.organizationID))
        return try rows.map {
            Holder(
                person: PersonID(try $0.uuid("person_id")), serialNumber: nil,
                location: poolLocation)
        }
    }

    /// Devices have no location: they draw from the only pool of the app.
    private func onlyPool(
        of app: String, _ session: Session, _ caller: Caller
    ) async throws -> LocationID? {
        let rows = try await session.query(
            .pools(of: app, in: caller.organizationID, after: nil, limit: 2))
        guard rows.count < 2 else {
            throw Problem.invalid(
                "/locationId", "ambiguous_location",
                "Several locations have a pool of this app. Send locationId.")
        }
        return try rows.first.map { LocationID(try $0.uuid("location_id")) }
    }
}
